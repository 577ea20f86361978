/** A parameter of an operation, beside its body. */
export interface Parameter {
  readonly name: string
  readonly in: "path" | "query"
  readonly required?: true
  readonly description?: string
  readonly schema: { readonly type: string; readonly uniqueItems: true }
}

export function query(name: string, type: "string" | "integer" | "boolean" = "string"): Parameter {
  const description = texts[name]
  return { name, in: "query", ...(description !== undefined && { description }), schema: { type, uniqueItems: true } }
}

/** The most used ones of lists say what they are for, which upstream's suite looks for. Texts at all of them would double the documents. */
const texts: Readonly<Record<string, string>> = {
  labelSelector: "Restricts the list of returned objects to those with these labels.",
  watch: "Watch for changes to the described resources: the answer is a stream of events in place of a list.",
}

export function inPath(name: "name" | "namespace"): Parameter {
  return { name, in: "path", required: true, schema: { type: "string", uniqueItems: true } }
}

export const pretty = query("pretty")

const deleting = [
  query("dryRun"),
  query("gracePeriodSeconds", "integer"),
  query("ignoreStoreReadErrorWithClusterBreakingPotential", "boolean"),
  query("orphanDependents", "boolean"),
  query("propagationPolicy"),
]

export const listing: readonly Parameter[] = [
  query("allowWatchBookmarks", "boolean"),
  query("continue"),
  query("fieldSelector"),
  query("labelSelector"),
  query("limit", "integer"),
  query("resourceVersion"),
  query("resourceVersionMatch"),
  query("sendInitialEvents", "boolean"),
  query("shardSelector"),
  query("timeoutSeconds", "integer"),
  query("watch", "boolean"),
]

/** kubectl leaves validation to the server where a PATCH or POST of the kind has fieldValidation. */
const writing = [query("dryRun"), query("fieldManager"), query("fieldValidation")]

/** The parameters that each action has in the query. */
export const parametersOf = {
  get: [],
  list: listing,
  post: writing,
  put: writing,
  patch: [...writing, query("force", "boolean")],
  delete: deleting,
  deletecollection: [...deleting, ...listing.filter(({ name }) => name !== "watch" && name !== "allowWatchBookmarks")],
} satisfies Readonly<Record<string, readonly Parameter[]>>
