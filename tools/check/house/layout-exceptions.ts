/** Small source files with a single importer that are files of their own for a reason. */
export const layoutExceptions: Readonly<Record<string, string>> = {}
