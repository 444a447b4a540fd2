const UNRELEASED = '## [Unreleased]\n';

/**
 * Moves the unreleased changes under a heading of the new version.
 *
 * @param date of the release, as YYYY-MM-DD
 * @throws Error when there are no unreleased changes, or the version has a heading already
 */
export function cutRelease(changelog: string, version: string, date: string): string {
  const [before, after] = changelog.split(UNRELEASED);
  if (before === undefined || after === undefined) throw new Error('the changelog has no [Unreleased]');
  if (changelog.includes(`## [${version}]`)) throw new Error(`${version} is in the changelog already`);
  const [changes = ''] = after.split(/^## \[/m);
  if (changes.trim() === '') throw new Error('nothing is unreleased');
  return `${before}${UNRELEASED}\n## [${version}] - ${date}\n${after}`;
}
