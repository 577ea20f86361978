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
  {
    file: "packages/cel/src/overloads/standard-library.ts",
    written: 'new RegExp(pattern, "u")',
    reason: "is for programs that evaluate their own expressions; Kubernetes' environment passes a compiler of RE2 patterns",
  },
  ...['new RegExp(`[bB](?:${string})`, "y")', 'new RegExp(`(?:${string})`, "y")'].map((written) => ({
    file: "packages/cel/src/syntax/lexer.ts",
    written,
    reason: "is made of constants; a literal that does not end is tried once for each kind of quote, since the next of its kind ends it",
  })),
  {
    file: "packages/cel/src/syntax/lexer.ts",
    written:
      'new RegExp(String.raw`^(?:"(?:${escape}|[^\\\\"\\n\\r])*(?:\\\\?[^])?|\'(?:${escape}|[^\\\\\'\\n\\r])*(?:\\\\?[^])?|[=|&][^]|[^])`, "u")',
    reason: "is made of constants whose alternatives begin with different characters; what it matches is skipped",
  },
]
