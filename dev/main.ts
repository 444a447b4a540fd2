import { runProgram } from '../server/process/lifecycle.ts';
import { serve } from '../server/serve.ts';
import { startStandIns } from './stand-ins.ts';

void runProgram(() => serve(startStandIns));
