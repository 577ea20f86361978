/** The Content-Type of each kind of patch. */
export const patchContentTypes = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
} as const

/** The content types of patches. */
export type PatchContentType = (typeof patchContentTypes)[keyof typeof patchContentTypes]
