import { Button, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { castellan, forget } from '../../session/api.ts';
import { Problem } from '../../shared/problem.tsx';
import { t } from '../../text/text.ts';

/** The button that takes an application to the group of that name back. */
export function Withdraw({ applicationId, name }: { readonly applicationId: string; readonly name: string }) {
  const withdrawing = useMutation({
    mutationFn: () => castellan.application.withdraw({ params: { application_id: applicationId } }),
    // After an error too, because the application may have been decided meanwhile.
    onSettled: () => forget('group', 'application'),
  });
  return (
    <Stack gap="xs" align="flex-end" className="act">
      <Button
        size="xs"
        variant="default"
        aria-label={t('Withdraw the application to {name}', { name })}
        loading={withdrawing.isPending}
        onClick={() => withdrawing.mutate()}
      >
        {t('Withdraw')}
      </Button>
      <Problem error={withdrawing.error} />
    </Stack>
  );
}
