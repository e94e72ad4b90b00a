/** Informs the parts of a panel that its title is a heading above theirs. */
import { createContext, useContext } from 'react';

const Within = createContext(false);

export const WithinPanel = Within.Provider;
export const useIsWithinPanel = (): boolean => useContext(Within);
