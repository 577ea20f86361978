/** A regular expression that is not proven linear, and need not be. */
export interface Exemption {
  readonly file: string
  /** The literal or the call, as it is written there. An entry that is no longer needed is an error. */
  readonly written: string
  /** Why no text from outside can make it slow. */
  readonly reason: string
}

/** The one list. */
export const exemptions: readonly Exemption[] = [
  {
    file: "packages/openstack/src/embedded/rest/routes.ts",
    written: 'new RegExp(`^${path.replaceAll(".", "\\\\.").replaceAll("*", "([^/]+)")}/?$`)',
    reason: "is made of the constant routes of the embedded services; a star matches one part of a path, and no part has a slash",
  },
]
