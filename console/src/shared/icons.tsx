import type { ReactNode } from 'react';

/** Icons on a grid of 24 with lines of 2. Hidden from screen readers, because text always stands beside them. */
function icon(drawing: ReactNode) {
  return function Icon({ size = 20 }: { readonly size?: number }) {
    return (
      <svg
        width={size}
        height={size}
        viewBox="0 0 24 24"
        fill="none"
        stroke="currentColor"
        strokeWidth={2}
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden="true"
        focusable="false"
      >
        {drawing}
      </svg>
    );
  };
}

export const StandingIcon = icon(
  <>
    <circle cx="12" cy="8" r="4" />
    <path d="M4 21c1-5 4-7 8-7s7 2 8 7" />
  </>,
);
export const GroupsIcon = icon(
  <>
    <circle cx="9" cy="8" r="3.5" />
    <path d="M2.5 20c.7-4 3-6 6.5-6s5.8 2 6.5 6M16 5a3.5 3.5 0 0 1 0 6.5M18 14.5c2 .7 3.100 2.600 3.5 5.5" />
  </>,
);
export const InboxIcon = icon(<path d="M3 13l3-9h12l3 9v7H3zM3 13h5l1.500 3h5l1.500-3h5" />);
export const RegistryIcon = icon(<path d="M3 21h18M5 21V8l7-5 7 5v13M10 21v-6h4v6M9 10h.01M15 10h.01" />);
export const UsersIcon = icon(
  <>
    <rect x="4" y="3" width="16" height="18" rx="2" />
    <circle cx="12" cy="10" r="2.5" />
    <path d="M8 17c.5-2 2-3 4-3s3.5 1 4 3" />
  </>,
);
export const ApplicationsIcon = icon(
  <path d="M4 4h7v7H4zM4 15h7v5H4zM15 4h5v7h-5zM17.5 14.5v6M14.5 17.5h6" />,
);
export const SystemIcon = icon(<path d="M3 12h4l3 8 4-16 3 8h4" />);
export const TrailIcon = icon(<path d="M5 4v9a4 4 0 0 0 4 4h7M13 13l4 4-4 4M5 4h.01M19 4h-8" />);
export const AuditIcon = icon(
  <>
    <path d="M6 3h9l4 4v14H6z" />
    <path d="M9 11h7M9 15h7" />
  </>,
);
export const SearchIcon = icon(
  <>
    <circle cx="11" cy="11" r="7" />
    <path d="m20 20-4-4" />
  </>,
);
export const SignOutIcon = icon(<path d="M10 4H5v16h5M14 8l4 4-4 4M18 12H9" />);
export const LightIcon = icon(
  <>
    <circle cx="12" cy="12" r="4" />
    <path d="M12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.5 1.5M17.5 17.5 19 19M5 19l1.5-1.5M17.5 6.5 19 5" />
  </>,
);
export const DarkIcon = icon(<path d="M20 14a8 8 0 0 1-10-10 8 8 0 1 0 10 10z" />);

/** The logo, a gatehouse. */
export function Logo({ size = 28 }: { readonly size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="7" fill="#1f4f86" />
      <path fill="#fff" d="M6 7h4v3h4V7h4v3h4V7h4v8H6zM8 16.5h16V26h-4.5v-3.5a3.5 3.5 0 0 0-7 0V26H8z" />
    </svg>
  );
}
