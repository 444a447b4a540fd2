import { runTokenCommand } from './token-command.ts';

runTokenCommand();
