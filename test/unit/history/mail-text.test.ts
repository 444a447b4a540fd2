import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toPlainText } from '../../../server/history/mail-text.ts';
import { cpuTimeOf } from '../../harness/cpu-time.ts';

describe('toPlainText (D36: plain text, line breaks kept)', () => {
  it.each([
    ['the usual form of a body', '<font size="12" color="#bfffffff">Hi</font><br><br>Bye', 'Hi\n\nBye'],
    [
      'links',
      'See <a href="showinfo:5//30000142">there</a>, <url=http://x.example>here</url>',
      'See there, here',
    ],
    ['the ends of blocks', '<p>One</p><div>Two</div><ul><li>Three</li></ul>', 'One\nTwo\nThree\n'],
    ['every spelling of a break', 'a<br>b<br/>c<BR />d<br clear="all">e', 'a\nb\nc\nd\ne'],
    ['line breaks of its own', 'a\r\nb\rc\nd', 'a\nb\nc\nd'],
    ['entities, once', '&lt;b&gt; &amp;lt; &quot;&apos;&#39;&#x27; &nbsp;.', "<b> &lt; \"''' \u00a0."],
    ['characters beyond the first plane', '&#128640;&#x1F680;', '🚀🚀'],
    [
      'what is no entity',
      '&; &bogus; &#1114112; &#xFFFFFFFF; AT&T &lt',
      '&; &bogus; &#1114112; &#xFFFFFFFF; AT&T &lt',
    ],
    ['what is no tag', '1 < 2 > 0, <3, a<', '1 < 2 > 0, <3, a<'],
    ['tags that never end', 'a <font color="red" b', 'a <font color="red" b'],
    ['comments and declarations', 'a<!-- x -->b<?xml version="1"?>c<!DOCTYPE html>d', 'abcd'],
    ['tags inside tags', '<b<br>x</b>', '<b\nx'],
    ['a tag that only begins like a break', 'a<broken>b', 'ab'],
    ['what no database takes', 'a\0b&#0;c\ud800d&#xD800;e', 'abc\ufffdd\ufffde'],
  ])('%s', (_, body, plain) => {
    expect(toPlainText(body)).toBe(plain);
  });

  const escaped = (text: string) =>
    text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
  const tag = fc.constantFrom(
    '<b>',
    '</b>',
    '<font size="12" color="#ff00ff">',
    '</font>',
    '<i>',
    '</i>',
    '<loc>',
  );
  const line = fc.string({
    unit: fc.oneof(fc.constantFrom('<', '>', '&', ';', '#', 'l', 't', '"'), fc.string({ maxLength: 1 })),
  });

  it('any text is recovered from its escaped form, with any tags between its lines and words', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(line, tag, tag)), (lines) => {
        const plain = lines.map(([text]) => text.replace(/[\0\r\n]/g, '')).join('\n');
        const body = lines
          .map(([text, before, after]) => before + escaped(text.replace(/[\0\r\n]/g, '')) + after)
          .join('<br>');
        expect(toPlainText(body)).toBe(plain);
      }),
    );
  });

  it('no body results in a longer text, or in one that cannot be stored', () => {
    const odd = fc.array(
      fc.oneof(
        fc.constantFrom(
          '<',
          '>',
          '</',
          '<br',
          '&',
          '&#',
          '&#x',
          ';',
          '<!--',
          '-->',
          '<a',
          '="',
          '\0',
          '\ud800',
          '&lt;',
        ),
        fc.string(),
      ),
    );
    fc.assert(
      fc.property(odd, (services) => {
        const body = services.join('');
        const plain = toPlainText(body);
        expect(plain.length).toBeLessThanOrEqual(body.length);
        expect(plain).not.toMatch(/\0|\p{Surrogate}/u);
      }),
    );
  });

  const length = 400_000;
  // With quadratic time this would take minutes.
  it.each(['<', '<a', '<a ', 'a<!--', '&', '&#', '&#1', '&lt', '<br', '<br>', '</p', '<a "', '\r', '> <'])(
    'takes linear time for hostile bodies: %j',
    (piece) => {
      const body = piece.repeat(length / piece.length);
      const time = cpuTimeOf(() => {
        toPlainText(body);
        toPlainText(`${body}>`);
        toPlainText(`<a${piece.replaceAll(/[<>]/g, '').repeat(length / piece.length)}`);
      });
      expect(time).toBeLessThan(2_000);
    },
  );
});
