/** What the console shows to whom, in a browser, as the built service gives it: one start, since a start takes long. */
import './console/newcomer.ts';
import './console/session.ts';
import './console/trouble.ts';
import './console/joining.ts';
import './console/compliance.ts';
import './console/screens.ts';
import './console/narrow.ts';
import './console/roles.ts';
import './console/reasons.ts';
import './console/hostile-names.ts';
import './console/weight.ts';
