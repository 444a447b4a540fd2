import { runProgram } from './process/lifecycle.ts';
import { serve } from './serve.ts';

void runProgram(() => serve());
