/** What is done in the console, by keyboard and mouse: beside the other half, which a second worker runs meanwhile. */
import './console/keyboard.ts';
import './console/superuser.ts';
import './console/records.ts';
import './console/saving.ts';
import './console/desk.ts';
import './console/webhooks.ts';
import './console/typed.ts';
import './console/focus.ts';
