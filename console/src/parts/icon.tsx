/** An icon: an outline in a square of 24, in the color of the text around it. */
import type { ComponentProps } from 'react';

interface OutlineProps extends Omit<ComponentProps<'svg'>, 'stroke'> {
  /** Pixels. */
  size?: number;
  /** The width of the line in that square. */
  stroke?: number;
}

/** Returns the component of an outline. */
export const icon = (outline: string) =>
  function Icon({ size = 24, stroke = 2, ...rest }: OutlineProps) {
    return (
      <svg
        xmlns="http://www.w3.org/2000/svg"
        width={size}
        height={size}
        viewBox="0 0 24 24"
        fill="none"
        stroke="currentColor"
        strokeWidth={stroke}
        strokeLinecap="round"
        strokeLinejoin="round"
        {...rest}
      >
        <path d={outline} />
      </svg>
    );
  };
