import { runProgram } from '../server/process/lifecycle.ts';
import { work } from '../server/work.ts';
import { startStandIns } from './stand-ins.ts';

void runProgram(() => work(startStandIns));
