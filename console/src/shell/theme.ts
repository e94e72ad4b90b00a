/** The theme: type, spacing, color. Color means allowed, denied or limited; the rest is neutral. */
import {
  Anchor,
  Button,
  createTheme,
  type MenuProps,
  type ModalProps,
  type PopoverProps,
  type SelectProps,
  Tooltip,
} from '@mantine/core';

/** The list itself scrolls: its options cannot have the focus, so no other element around them may. */
const CHOICES = { withScrollArea: false } satisfies Partial<SelectProps>;

export const theme = createTheme({
  fontFamily: '"Inter Variable", system-ui, -apple-system, "Segoe UI", sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
  headings: { fontFamily: '"Inter Variable", system-ui, sans-serif', fontWeight: '640' },
  primaryColor: 'indigo',
  primaryShade: { light: 8, dark: 8 },
  defaultRadius: 'md',
  cursorType: 'pointer',
  focusRing: 'auto',
  respectReducedMotion: true,
  components: {
    Anchor: Anchor.extend({ defaultProps: { underline: 'hover' } }),
    Button: Button.extend({ defaultProps: { size: 'sm' } }),
    // Without the components: they are not part of the first load.
    Modal: {
      defaultProps: {
        closeButtonProps: { 'aria-label': 'Close' },
        overlayProps: { backgroundOpacity: 0.45 },
      } satisfies Partial<ModalProps>,
    },
    Autocomplete: { defaultProps: CHOICES },
    // The focus is on its first item; the library's element for it may not be in a menu.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } satisfies Partial<MenuProps> },
    MultiSelect: { defaultProps: CHOICES },
    // In the landmark of the page: each page with choices or menus has this element.
    Popover: { defaultProps: { portalProps: { target: '#layers' } } satisfies Partial<PopoverProps> },
    Select: {
      defaultProps: {
        ...CHOICES,
        comboboxProps: { shadow: 'md' },
        checkIconPosition: 'right',
      } satisfies Partial<SelectProps>,
    },
    TagsInput: { defaultProps: CHOICES },
    Tooltip: Tooltip.extend({
      defaultProps: { withArrow: true, multiline: true, maw: 320, events: { hover: true, focus: true, touch: true } },
    }),
  },
});
