import type { Settings } from '../config/settings.ts';

const HIDDEN = '**********';

/**
 * The active configuration for `GET /system/configuration`, in the API's naming; secrets are hidden, including
 * passwords in URLs (D51).
 */
export function redactSettings(settings: Settings): Record<string, unknown> {
  const hide = (value: unknown) => (value === undefined ? null : HIDDEN);
  const { sso, extApi, voice, schedules } = settings;
  return inSnakeCase({
    ...settings,
    databaseUrl: hidePassword(settings.databaseUrl),
    databaseReplicaUrl: hidePassword(settings.databaseReplicaUrl),
    sso: { ...sso, url: hidePassword(sso.url), clientSecret: HIDDEN },
    extApi: { ...extApi, url: hidePassword(extApi.url), specUrl: hidePassword(extApi.specUrl) },
    tokenSigningKeys: hide(settings.tokenSigningKeys),
    encryptionKeys: hide(settings.encryptionKeys),
    voice: { ...voice, url: hidePassword(voice.url) },
    schedules: { ...schedules, cron: Object.fromEntries(schedules.cron) },
  });
}

function inSnakeCase(values: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]: [string, unknown]) => [
      name.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`),
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? inSnakeCase(value)
        : (value ?? null),
    ]),
  );
}

function hidePassword(value: string | undefined): string | null {
  if (value === undefined) return null;
  try {
    const url = new URL(value);
    if (url.password !== '') url.password = HIDDEN;
    for (const name of [...url.searchParams.keys()]) {
      if (/pass|secret|token|key/i.test(name)) url.searchParams.set(name, HIDDEN);
    }
    return url.toString().replaceAll('%2A', '*');
  } catch {
    return HIDDEN;
  }
}
