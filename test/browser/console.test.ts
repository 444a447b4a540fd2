/** The console in a browser, as the built service gives it: one start for all of it, since a start takes long. */
import './console/newcomer.ts';
import './console/session.ts';
import './console/trouble.ts';
import './console/joining.ts';
import './console/compliance.ts';
import './console/screens.ts';
import './console/roles.ts';
import './console/keyboard.ts';
import './console/superuser.ts';
import './console/reasons.ts';
import './console/records.ts';
import './console/saving.ts';
import './console/desk.ts';
import './console/webhooks.ts';
import './console/hostile-names.ts';
import './console/weight.ts';
