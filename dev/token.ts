import { runTokenCommand } from '../server/cli/token-command.ts';
import { startStandIns } from './stand-ins.ts';

runTokenCommand(startStandIns);
