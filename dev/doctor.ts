import { runDoctor } from '../server/cli/doctor-command.ts';
import { startStandIns } from './stand-ins.ts';

runDoctor(startStandIns);
