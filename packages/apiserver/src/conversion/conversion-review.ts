import { quoted } from "@pilothouse/api"

/** The versions of ConversionReview that the server sends. */
export type ReviewVersion = "v1" | "v1beta1"

/** Returns the first version of a list that the server sends; undefined where there is none. */
export function conversionReviewVersion(versions: readonly string[]): ReviewVersion | undefined {
  return versions.find((version): version is ReviewVersion => version === "v1" || version === "v1beta1")
}

export interface ReviewRequest {
  readonly version: ReviewVersion
  readonly uid: string
  readonly desiredAPIVersion: string
  /** Each as JSON. */
  readonly objects: readonly string[]
}

/** Returns the text of a review, in the order of upstream's fields. */
export function conversionReview({ version, uid, desiredAPIVersion, objects }: ReviewRequest): string {
  const about = `"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/${version}"`
  const request = `{"uid":${JSON.stringify(uid)},"desiredAPIVersion":${JSON.stringify(desiredAPIVersion)},"objects":[${objects.join(",")}]}`
  return `{${about},"request":${request},"response":{"uid":"","convertedObjects":null,"result":{"metadata":{}}}}`
}

interface Answer {
  readonly kind?: unknown
  readonly apiVersion?: unknown
  readonly response?: {
    readonly uid?: unknown
    readonly convertedObjects?: unknown
    readonly result?: { readonly status?: unknown; readonly message?: unknown } | null
  } | null
}

/** Returns the objects of an answer; throws an error with upstream's words where it is none. */
export function convertedObjectsIn(answer: object, { version, uid }: Pick<ReviewRequest, "version" | "uid">): readonly unknown[] {
  const { kind, apiVersion, response } = answer as Answer
  // Neither kind nor uid was checked when v1beta1 was new.
  if (version === "v1") checkKind(apiVersion, kind)
  if (response === undefined || response === null || typeof response !== "object") throw new Error("no response provided")
  const given = textOf(response.uid)
  if (version === "v1" && given !== uid) throw new Error(`expected response.uid=${quoted(uid)}, got ${quoted(given)}`)
  const [status, message] = [textOf(response.result?.status), textOf(response.result?.message)]
  if (status !== "Success") throw new Error(message === "" ? `response.result.status was '${status}', not 'Success'` : message)
  const { convertedObjects } = response
  return Array.isArray(convertedObjects) ? convertedObjects : []
}

function checkKind(apiVersion: unknown, kind: unknown): void {
  if (apiVersion === "apiextensions.k8s.io/v1" && kind === "ConversionReview") return
  const [version = "", group = ""] = textOf(apiVersion).split("/").reverse()
  throw new Error(
    `expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got ${group}/${version}, Kind=${textOf(kind)}`,
  )
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : ""
}
