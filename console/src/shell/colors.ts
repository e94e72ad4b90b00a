/** The light and the dark color scheme. */
import { useComputedColorScheme, useMantineColorScheme } from '@mantine/core';

export interface Colors {
  dark: boolean;
  toggle: () => void;
}

export function useColors(): Colors {
  const { setColorScheme } = useMantineColorScheme();
  const dark = useComputedColorScheme('light') === 'dark';
  return { dark, toggle: () => setColorScheme(dark ? 'light' : 'dark') };
}
