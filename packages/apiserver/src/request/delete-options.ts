import { badRequest, fieldError, type Int64, invalid, isInt64, parseInt64 } from "@pilothouse/api"
import { goJsonWord } from "@pilothouse/api/patch"
import { type Query, queryValue, stringifyJson } from "@pilothouse/seams"
import { flag } from "./list-options.ts"
import { withoutTypeMeta } from "./without-type-meta.ts"
import { dryRunErrors } from "./write-options.ts"

export type Propagation = "Background" | "Foreground" | "Orphan"

export interface DeleteOptions {
  readonly gracePeriodSeconds?: Int64
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string }
  readonly propagationPolicy?: Propagation
  /** The old form of Orphan. */
  readonly orphanDependents?: boolean
  readonly dryRun?: readonly string[]
}

const kind = { group: "meta.k8s.io", kind: "DeleteOptions" }
const policies: readonly string[] = ["Foreground", "Background", "Orphan"]

/** From a body, or from the query where there is none: beside a body it says nothing, as upstream. */
export function deleteOptionsOf(body: unknown, query: Query): DeleteOptions {
  return checked(body === undefined ? fromQuery(query) : fromBody(body))
}

function fromBody(given: unknown): DeleteOptions {
  if (typeof given !== "object" || Array.isArray(given)) throw badRequest(withoutTypeMeta(given))
  const body = (given ?? {}) as DeleteOptions & { readonly apiVersion?: unknown; readonly kind?: unknown }
  const { apiVersion = "", kind: said = "" } = body
  if (said !== "" && said !== kind.kind) {
    throw badRequest(
      `no kind ${stringifyJson(said)} is registered for version ${stringifyJson(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`,
    )
  }
  for (const [field, isRight, goType] of types) {
    const value = body[field]
    if (value === undefined || value === null || isRight(value)) continue
    const found = goType === "int64" && goJsonWord(value) === "number" ? `number ${value}` : goJsonWord(value)
    throw badRequest(`json: cannot unmarshal ${found} into Go struct field DeleteOptions.${field} of type ${goType}`)
  }
  return body
}

/** What a body may say, as Go names its types. */
const types: readonly [keyof DeleteOptions, (value: unknown) => boolean, string][] = [
  ["gracePeriodSeconds", isInt64, "int64"],
  ["preconditions", (value) => typeof value === "object" && !Array.isArray(value), "v1.Preconditions"],
  ["propagationPolicy", (value) => typeof value === "string", "v1.DeletionPropagation"],
  ["orphanDependents", (value) => typeof value === "boolean", "bool"],
  ["dryRun", (value) => Array.isArray(value) && value.every((one) => typeof one === "string"), "[]string"],
]

function fromQuery(query: Query): DeleteOptions {
  const grace = queryValue(query, "gracePeriodSeconds")
  const propagationPolicy = queryValue(query, "propagationPolicy") as Propagation | undefined
  const orphan = flag(query, "orphanDependents")
  return {
    ...(grace !== undefined && { gracePeriodSeconds: int64In(grace) }),
    ...(propagationPolicy !== undefined && { propagationPolicy }),
    ...(orphan !== undefined && { orphanDependents: orphan }),
  }
}

function int64In(text: string): Int64 {
  const value = parseInt64(text)
  if (value !== undefined) return value
  const fault = /^[+-]?\d+$/.test(text) ? "value out of range" : "invalid syntax"
  throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: ${fault}`)
}

function checked(options: DeleteOptions): DeleteOptions {
  const { propagationPolicy, orphanDependents, dryRun = [] } = options
  const dryRunFaults = dryRunErrors(dryRun ?? [])
  if (dryRunFaults.length > 0) throw invalid(kind, "", dryRunFaults)
  if (propagationPolicy !== undefined && orphanDependents !== undefined) {
    const text = "orphanDependents and deletionPropagation cannot be both set"
    throw invalid(kind, "", [fieldError.invalid("propagationPolicy", propagationPolicy, text)])
  }
  if (propagationPolicy !== undefined && !policies.includes(propagationPolicy)) {
    throw invalid(kind, "", [fieldError.notSupported("propagationPolicy", propagationPolicy, [...policies, "nil"])])
  }
  return options
}
