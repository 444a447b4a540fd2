/* Reports in one sentence that Node.js is too old. Uses only syntax that the oldest versions can parse. */
var least = require('../package.json').engines.node.replace('>=', '').split('.');
var present = process.versions.node.split('.');
var words = ['castellan needs Node.js', least.join('.'), 'or newer; this is', present.join('.')];

if ((present[0] - least[0] || present[1] - least[1]) < 0) {
  process.stderr.write(words.join(' ').concat('.\n'));
  process.exit(1);
}
