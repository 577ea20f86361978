import type { Descriptor, KubeObject, LabelSelector } from "@pilothouse/api"
import type { MutatingWebhook } from "@pilothouse/api/admissionregistration/v1"
import { PilothouseError } from "@pilothouse/seams"

/** What a request does to an object, in the words of AdmissionReview. */
export type AdmissionOperation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT"

/** The request that a webhook decides on. */
export interface AdmissionRequest<T extends KubeObject = KubeObject> {
  readonly uid: string
  readonly operation: AdmissionOperation
  readonly kind: Pick<Descriptor, "group" | "version" | "kind">
  readonly resource: { readonly group: string; readonly version: string; readonly resource: string }
  readonly subResource?: string
  /** Undefined for a new object whose name the server will make. */
  readonly name?: string
  readonly namespace?: string
  readonly userInfo: {
    readonly username?: string
    readonly uid?: string
    readonly groups?: readonly string[]
    readonly extra?: Readonly<Record<string, readonly string[]>>
  }
  /** Undefined for a delete. */
  readonly object: T | undefined
  /** Undefined for a create. */
  readonly oldObject: T | undefined
  /** Nothing will be written: a webhook then has no side effects. */
  readonly dryRun: boolean
  readonly options?: Readonly<Record<string, unknown>>
  /** Shows the client a Warning, whatever is decided. */
  warn(text: string): void
}

/** Why a request is refused; a text is the message of a 403. */
export type Refusal = string | { readonly message: string; readonly reason?: string; readonly code?: number }

/** The versions of a conversion, without their group. */
export interface ConversionVersions {
  readonly from: string
  readonly to: string
}

/** An object of a custom kind, in any of its versions. */
export type ConvertedObject = Mutable<KubeObject> & {
  [field: string]: unknown
}

/** What a webhook does with objects of one kind, and with which of them. */
export interface WebhookSpec<T extends KubeObject = KubeObject> {
  readonly of: Descriptor<T>
  /** Creates and updates by default. */
  readonly operations?: readonly AdmissionOperation[]
  /** "status", "scale", "*"; the object itself by default. */
  readonly subresource?: string
  /** Returns the object to store, or undefined to leave it as it is. It sees a copy, which it may change and return. */
  readonly mutate?: (
    object: Mutable<T>,
    request: AdmissionRequest<T>,
  ) => Mutable<T> | undefined | void | Promise<Mutable<T> | undefined | void>
  /** Returns why the request is refused, or undefined to let it through. */
  readonly validate?: (request: AdmissionRequest<T>) => Refusal | undefined | void | Promise<Refusal | undefined | void>
  /**
   * Returns an object of a custom kind in the form of another version: from `from` to `to`, "v1alpha1" to "v1". It sees a copy, which it may change and
   * return. Only labels and annotations of the metadata may differ. What it throws is what clients are answered with.
   */
  readonly convert?: (object: ConvertedObject, versions: ConversionVersions) => ConvertedObject | Promise<ConvertedObject>
  /** Refuse by default: what cannot be checked is not let in. */
  readonly failurePolicy?: "Fail" | "Ignore"
  readonly timeoutSeconds?: number
  /** Whether `mutate` is called again after a later webhook has changed the object. */
  readonly reinvocationPolicy?: "Never" | "IfNeeded"
  readonly namespaceSelector?: LabelSelector
  readonly objectSelector?: LabelSelector
  readonly matchConditions?: MutatingWebhook["matchConditions"]
  /** None by default. */
  readonly sideEffects?: "None" | "NoneOnDryRun"
}

/** A value whose fields may be set, all the way down. */
export type Mutable<T> = T extends readonly (infer Item)[]
  ? Mutable<Item>[]
  : T extends object
    ? { -readonly [Key in keyof T]: Mutable<T[Key]> }
    : T

/** A webhook of admission or conversion: a name, and what it does. */
export interface Webhook {
  /** A domain name of at least three parts: "defaults.web.example.com". */
  readonly name: string
  readonly spec: WebhookSpec
}

/**
 * Declares a webhook: of admission, or of the conversion between the versions of a custom kind. It is served in the process of a test by `cluster({ webhooks })`, and over TLS by `serveWebhooks`, which also registers it.
 *
 *     webhook("replicas.web.example.com", {
 *       of: deployments,
 *       validate: ({ object }) => ((object?.spec?.replicas ?? 1) > 10 ? "at most 10 replicas" : undefined),
 *     })
 */
export function webhook<T extends KubeObject>(name: string, spec: WebhookSpec<T>): Webhook {
  if (name.split(".").length < 3) {
    throw new PilothouseError(
      "INVALID",
      `expected a domain name of three parts for a webhook, such as defaults.web.example.com, found ${name}`,
    )
  }
  if ([spec.mutate, spec.validate, spec.convert].filter((one) => one !== undefined).length !== 1) {
    throw new PilothouseError("INVALID", `expected one of mutate, validate and convert in webhook ${name}; declare a webhook for each`)
  }
  // Called only with objects of its own descriptor.
  return { name, spec: spec as unknown as WebhookSpec }
}

/** The path below which a webhook is served. */
export function webhookPath({ name }: Webhook): string {
  return `/${name}`
}
