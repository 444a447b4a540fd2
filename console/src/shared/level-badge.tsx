import { Badge } from '@mantine/core';
import { t } from '../text/text.ts';

export function LevelBadge({ level }: { readonly level: number }) {
  return (
    <Badge variant="default" size="lg" tt="none">
      {level < 0 ? t('Guest') : t('Level {level}', { level })}
    </Badge>
  );
}
