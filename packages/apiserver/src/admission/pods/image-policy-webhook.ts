import { createHash } from "node:crypto"
import type { Pod } from "@pilothouse/api/core/v1"
import { type Log, messageOf, Semaphore, stringifyJson } from "@pilothouse/seams"
import { postReview, ReviewCache, type ReviewClientOptions } from "../../webhook-client/review-client.ts"
import { type AdmissionAttributes, type AdmissionPlugin, refusal } from "../plugin.ts"

/** The part imagePolicy of the plugin's configuration. Times are milliseconds. */
export interface ImagePolicySettings {
  readonly kubeConfigFile: string
  /** How long answers are kept; 0 keeps none. */
  readonly allowTtl: number
  readonly denyTtl: number
  /** The wait before the second try. */
  readonly retryBackoff: number
  /** Whether pods are admitted where the webhook fails. */
  readonly defaultAllow: boolean
}

/** The settings of the ImagePolicyWebhook plugin, with the client that its kubeconfig makes. */
export interface ImagePolicyOptions extends Omit<ReviewClientOptions, "retryBackoff">, Omit<ImagePolicySettings, "kubeConfigFile"> {
  readonly log: Log
}

interface ReviewStatus {
  readonly allowed: boolean
  readonly reason: string
}

const maxAnswers = 1024
/** Reviews under way at a time: a user can send any number of images. */
const maxCalls = 200
const apiVersion = "imagepolicy.k8s.io/v1alpha1"

/** Asks a webhook whether pods may run their images, by ImageReviews. Without options no pod is admitted: it was turned on to protect. */
export function imagePolicyWebhook(options: ImagePolicyOptions | undefined): AdmissionPlugin {
  const webhook = options && new ImageReviews(options)
  return {
    name: "ImagePolicyWebhook",
    async validate(attributes) {
      if (attributes.operation !== "CREATE" && attributes.operation !== "UPDATE") return
      if (webhook === undefined) throw refusal(attributes, "the ImagePolicyWebhook has no configuration")
      const status = await answerOf(webhook, attributes, options!.defaultAllow)
      if (status.allowed) return
      const { reason } = status
      const why =
        reason === ""
          ? "one or more images rejected by webhook backend"
          : `image policy webhook backend denied one or more images: ${reason}`
      throw refusal(attributes, why)
    },
  }
}

async function answerOf(webhook: ImageReviews, attributes: AdmissionAttributes, defaultAllow: boolean): Promise<ReviewStatus> {
  try {
    return await webhook.review(reviewSpec(attributes))
  } catch (error) {
    if (!defaultAllow) throw refusal(attributes, messageOf(error))
    // Upstream notes it for the audit log alone; here the log has the failure.
    return { allowed: true, reason: "" }
  }
}

/** What a webhook gets: the images, and the annotations that are meant for it. */
function reviewSpec({ object, subresource, namespace }: AdmissionAttributes): object {
  const { metadata, spec } = object as unknown as Pod
  const { containers = [], initContainers = [], ephemeralContainers = [] } = spec ?? {}
  const reviewed = subresource === "" ? [...containers, ...initContainers] : ephemeralContainers
  const annotations = Object.entries(metadata.annotations ?? {}).filter(([key]) => key.includes(".image-policy.k8s.io/"))
  return {
    ...(reviewed.length > 0 && { containers: reviewed.map(({ image }) => ({ ...(image && { image }) })) }),
    ...(annotations.length > 0 && { annotations: Object.fromEntries(annotations.sort()) }),
    ...(namespace && { namespace }),
  }
}

/** Invariant: no more than `maxCalls` reviews are under way, and an answer is kept for as long as its kind says. */
class ImageReviews {
  readonly #options: ImagePolicyOptions
  readonly #answers: ReviewCache<ReviewStatus>
  readonly #calls = new Semaphore(maxCalls)

  constructor(options: ImagePolicyOptions) {
    this.#options = options
    this.#answers = new ReviewCache(options.clock, maxAnswers)
  }

  /** Throws what the last try came to, and what is no ImageReview. */
  async review(spec: object): Promise<ReviewStatus> {
    // The images of a pod may be as long as the pod: a thousand of them would fill the memory.
    const key = createHash("sha256").update(stringifyJson(spec)).digest("base64")
    const kept = this.#answers.get(key)
    if (kept !== undefined) return kept
    const { allowTtl, denyTtl, log } = this.#options
    try {
      using _call = await this.#calls.acquire()
      const review = { kind: "ImageReview", apiVersion, metadata: {}, spec, status: { allowed: false } }
      const status = statusOf(await postReview(this.#options, review))
      this.#answers.set(key, status, status.allowed ? allowTtl : denyTtl)
      return status
    } catch (error) {
      log.error("the image policy webhook failed", { error: messageOf(error) })
      throw error
    }
  }
}

/** What is no boolean admits nothing: an answer "false" must not be taken for true. */
function statusOf(answer: unknown): ReviewStatus {
  const {
    kind,
    apiVersion: version,
    status,
  } = answer as { readonly kind?: unknown; readonly apiVersion?: unknown; readonly status?: unknown }
  if (kind !== "ImageReview" || version !== apiVersion)
    throw new Error(`expected an ImageReview of ${apiVersion} from the webhook, found ${String(kind)} of "${String(version)}"`)
  const { allowed, reason } = (status ?? {}) as { readonly allowed?: unknown; readonly reason?: unknown }
  if (allowed !== undefined && allowed !== null && typeof allowed !== "boolean")
    throw new Error(`expected a boolean in status.allowed of an ImageReview, found ${typeof allowed}`)
  return { allowed: allowed === true, reason: typeof reason === "string" ? reason : "" }
}
