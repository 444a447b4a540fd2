import { runProgram } from './process/lifecycle.ts';
import { work } from './work.ts';

void runProgram(() => work());
