/** What an Octavia and its provider can do; what they cannot is not asked of them, since they would refuse the whole call. */
export interface Features {
  readonly timeouts: boolean
  readonly tags: boolean
  /** allowed_cidrs of listeners. */
  readonly sourceRanges: boolean
  readonly flavors: boolean
  readonly availabilityZones: boolean
}

/**
 * Returns the supported features by the minor version of the API ("v2.26" → 26). OVN's balancers are flows of the switches: they know neither ranges
 * nor timeouts.
 */
export function supportedFeatures(minor: number, provider: string | undefined): Features {
  const isOvn = provider === "ovn"
  return {
    timeouts: minor >= 1 && !isOvn,
    tags: minor >= 5,
    flavors: minor >= 6,
    sourceRanges: minor >= 12 && !isOvn,
    availabilityZones: minor >= 14,
  }
}
