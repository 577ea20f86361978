import { type KubeObject, quoted, StatusError } from "@pilothouse/api"
import type { CustomResourceDefinition } from "@pilothouse/api/apiextensions/v1"
import { type Metrics, messageOf, type Random, stringifyJson } from "@pilothouse/seams"
import type { Converter } from "../customresources/converter.ts"
import { withManagedFields } from "../managedfields/object-managed-fields.ts"
import { postToWebhook, type WebhookCaller } from "../webhook-client/post-webhook.ts"
import { convertedObject, InvalidConversion } from "./converted-object.ts"
import { ConversionMetrics, type FailureType } from "./metrics.ts"

export interface ConversionServer extends WebhookCaller {
  readonly random: Random
  readonly metrics: Metrics
}

/** Upstream's, which no definition can change. */
const timeoutSeconds = 30
/** Characters of one review, and how many objects it has: a list of more is converted by several, one after the other. */
const [maxReviewSize, maxReviewObjects] = [1024 * 1024, 500]
/** Bytes of an answer, beside four times what was sent. */
const maxAnswerSize = 3 * 1024 * 1024
/** Fields and list items of an answer: objects of a mebibyte have 50,000 or so, and the other version may have more. */
const maxAnswerValues = 300_000

/** Returns the converter of a definition: each call sends what differs from the version to the webhook, in as few reviews as the bounds allow. */
export function webhookConverter(server: ConversionServer, definition: CustomResourceDefinition): Converter {
  const versions = new Set(definition.spec.versions.map(({ name }) => `${definition.spec.group}/${name}`))
  return {
    async convert(objects, apiVersion) {
      for (const { apiVersion: from = "" } of objects) if (!versions.has(from)) throw failure(`${invalidVersion}: ${from}`)
      const converted: KubeObject[] = []
      for (const batch of batchesOf(objects)) converted.push(...(await convertBatch(server, definition, batch, apiVersion)))
      return converted
    },
  }
}

const invalidVersion = "request to convert CR from an invalid group/version"

interface Batch {
  readonly objects: KubeObject[]
  readonly texts: string[]
}

/** Texts are made when their batch is: those of a long list are never in memory together. */
function* batchesOf(objects: readonly KubeObject[]): Generator<Batch> {
  let [batch, size]: [Batch, number] = [{ objects: [], texts: [] }, 0]
  for (const object of objects) {
    const text = stringifyJson(sent(object))
    if (batch.objects.length === maxReviewObjects || (size > 0 && size + text.length > maxReviewSize)) {
      yield batch
      ;[batch, size] = [{ objects: [], texts: [] }, 0]
    }
    batch.objects.push(object)
    batch.texts.push(text)
    size += text.length
  }
  if (size > 0) yield batch
}

/** As it is stored: without the version of its write. */
function sent(object: KubeObject): object {
  const { resourceVersion: _resourceVersion, ...metadata } = withManagedFields(object).metadata
  return { ...object, metadata }
}

async function convertBatch(
  server: ConversionServer,
  definition: CustomResourceDefinition,
  batch: Batch,
  apiVersion: string,
): Promise<readonly KubeObject[]> {
  const { clock } = server
  const started = clock.elapsed()
  const metrics = new ConversionMetrics(server.metrics)
  const [from, to] = [batch.objects[0]!.apiVersion ?? "", apiVersion].map((text) => text.slice(text.indexOf("/") + 1)) as [string, string]
  const ended = (failure: FailureType | undefined) => {
    metrics.converted({ definition: definition.metadata.name ?? "", from, to, seconds: (clock.elapsed() - started) / 1000, failure })
  }
  try {
    const converted = await reviewed(server, definition, batch, apiVersion)
    ended(undefined)
    return converted
  } catch (error) {
    if (error instanceof ConversionFailure) ended(error.type)
    throw error instanceof ConversionFailure ? failure(error.message) : error
  }
}

async function reviewed(
  server: ConversionServer,
  definition: CustomResourceDefinition,
  { objects, texts }: Batch,
  apiVersion: string,
): Promise<readonly KubeObject[]> {
  const { kind, apiVersion: from } = objects[0]!
  const about = `conversion webhook for ${from}, Kind=${kind}`
  const { clientConfig, conversionReviewVersions } = definition.spec.conversion!.webhook!
  const version = conversionReviewVersion(conversionReviewVersions)
  if (version === undefined) throw failure("no supported conversion review versions")
  const uid = server.random.uuid()
  const review = conversionReview({ version, uid, desiredAPIVersion: apiVersion, objects: texts })
  const limit = maxAnswerSize + 4 * review.length
  const call = { name: definition.metadata.name ?? "", clientConfig: clientConfig!, timeoutSeconds, userAgent: "kube-apiserver", review }
  const answer = await failing("conversion_webhook_call_failure", `${about} failed: `, () =>
    postToWebhook(server, { ...call, maxAnswerSize: limit, maxAnswerValues }),
  )
  // Reading an answer of megabytes takes a turn by itself.
  const turn = server.turns.whenFree()
  if (turn !== undefined) await turn
  const values = await failing("conversion_webhook_malformed_response_failure", `${about} failed: `, () =>
    convertedObjectsIn(answer, { version, uid }),
  )
  if (values.length !== objects.length) {
    const why = `${about} returned ${values.length} objects, expected ${objects.length}`
    throw new ConversionFailure("conversion_webhook_partial_response_failure", why)
  }
  return objects.map((object, index) => checkedObject(about, object, values[index], { apiVersion, index, isOne: objects.length === 1 }))
}

async function failing<T>(type: FailureType, prefix: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw new ConversionFailure(type, `${prefix}${messageOf(error)}`)
  }
}

interface Place {
  readonly apiVersion: string
  readonly index: number
  /** Upstream has other words for one object than for those of a list. */
  readonly isOne: boolean
}

function checkedObject(about: string, original: KubeObject, value: unknown, { apiVersion, index, isOne }: Place): KubeObject {
  try {
    return convertedObject(original, value, apiVersion)
  } catch (error) {
    if (!(error instanceof InvalidConversion)) throw error
    const { of, message } = error
    const single = { body: "", type: `${about} returned invalid object at index 0: `, identity: `${about} returned invalid object: ` }
    const prefix = isOne
      ? { ...single, metadata: `${about} returned invalid metadata: ` }[of]
      : `${about} returned invalid ${of === "metadata" ? "metadata in object" : "converted object"} at index ${index}: `
    throw new ConversionFailure("conversion_webhook_invalid_converted_object_failure", `${prefix}${message}`)
  }
}

class ConversionFailure extends Error {
  override readonly name = "ConversionFailure"
  readonly type: FailureType

  constructor(type: FailureType, message: string) {
    super(message)
    this.type = type
  }
}

/** Upstream's error has no type, so it is answered with a 500 without a reason. */
function failure(message: string): StatusError {
  return new StatusError({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, code: 500 })
}

/** The versions of ConversionReview that the server sends. */
type ReviewVersion = "v1" | "v1beta1"

/** Returns the first version of a list that the server sends; undefined where there is none. */
function conversionReviewVersion(versions: readonly string[]): ReviewVersion | undefined {
  return versions.find((version): version is ReviewVersion => version === "v1" || version === "v1beta1")
}

interface ReviewRequest {
  readonly version: ReviewVersion
  readonly uid: string
  readonly desiredAPIVersion: string
  /** Each as JSON. */
  readonly objects: readonly string[]
}

/** Returns the text of a review, in the order of upstream's fields. */
function conversionReview({ version, uid, desiredAPIVersion, objects }: ReviewRequest): string {
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
function convertedObjectsIn(answer: object, { version, uid }: Pick<ReviewRequest, "version" | "uid">): readonly unknown[] {
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
