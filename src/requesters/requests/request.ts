/** A requester's request for a license; the publisher grants or declines it, once. */
export const REQUEST_PREFIX = 'lrq_';

export const REQUEST_STATUSES = ['open', 'granted', 'declined'] as const;
export type RequestStatus = (typeof REQUEST_STATUSES)[number];

/** Open requests of one requester. */
export const OPEN_MAX = 20;

export interface LicenseRequest {
  id: string;
  requesterId: string;
  licenseType: string;
  collectionId: string | null;
  note: string | null;
  status: RequestStatus;
  /** The publisher's note. */
  answer: string | null;
  /** The license that it was granted. */
  licenseId: string | null;
  createdAt: number;
  updatedAt: number;
}
