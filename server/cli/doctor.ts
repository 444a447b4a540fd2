import { runDoctor } from './doctor-command.ts';

runDoctor();
