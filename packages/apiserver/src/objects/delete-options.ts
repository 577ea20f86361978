import { badRequest, fieldError, invalid } from "@pilothouse/api"
import { type Query, queryValue } from "@pilothouse/seams"

export type Propagation = "Background" | "Foreground" | "Orphan"

export interface DeleteOptions {
  readonly gracePeriodSeconds?: number
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string }
  readonly propagationPolicy?: Propagation
  /** The old form of Orphan. */
  readonly orphanDependents?: boolean
  readonly dryRun?: readonly string[]
}

const kind = { group: "meta.k8s.io", kind: "DeleteOptions" }
const policies: readonly string[] = ["Foreground", "Background", "Orphan"]

/** From a body, or from the query where there is none. */
export function deleteOptionsOf(body: unknown, query: Query): DeleteOptions {
  const options = typeof body === "object" && body !== null ? (body as DeleteOptions) : fromQuery(query)
  return checked(options)
}

function fromQuery(query: Query): DeleteOptions {
  const grace = queryValue(query, "gracePeriodSeconds")
  const propagationPolicy = queryValue(query, "propagationPolicy") as Propagation | undefined
  const orphan = queryValue(query, "orphanDependents")
  if (grace !== undefined && !/^-?\d+$/.test(grace)) throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(grace)}: invalid syntax`)
  return {
    ...(grace !== undefined && { gracePeriodSeconds: Number(grace) }),
    ...(propagationPolicy !== undefined && { propagationPolicy }),
    ...(orphan !== undefined && { orphanDependents: orphan === "true" || orphan === "1" }),
  }
}

function checked(options: DeleteOptions): DeleteOptions {
  const { propagationPolicy, orphanDependents } = options
  if (propagationPolicy !== undefined && orphanDependents !== undefined) {
    const text = "orphanDependents and deletionPropagation cannot be both set"
    throw invalid(kind, "", [fieldError.invalid("propagationPolicy", propagationPolicy, text)])
  }
  if (propagationPolicy !== undefined && !policies.includes(propagationPolicy)) {
    throw invalid(kind, "", [fieldError.notSupported("propagationPolicy", propagationPolicy, [...policies, "nil"])])
  }
  return options
}
