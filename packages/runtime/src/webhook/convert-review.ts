import type { KubeObject } from "@pilothouse/api"
import type { ConvertedObject, Webhook } from "./webhook.ts"

/** What an API server asks: some objects in another version. */
export interface ConversionReview {
  readonly apiVersion: string
  readonly request: { readonly uid: string; readonly desiredAPIVersion: string; readonly objects: readonly KubeObject[] }
}

/** What it is answered with, where all objects could be converted. */
interface ConversionResponse {
  readonly uid: string
  readonly convertedObjects: readonly KubeObject[]
  readonly result: { readonly status: "Success" }
}

/** Whether a body is a review with everything that a conversion needs. */
export function isConversionReview(value: unknown): value is ConversionReview {
  const { request } = (value ?? {}) as { readonly request?: Partial<ConversionReview["request"]> | null }
  return typeof request?.uid === "string" && typeof request.desiredAPIVersion === "string" && Array.isArray(request.objects)
}

/** Converts the objects of a review, one after the other. An object that has the version is as it was. Throws what the function throws. */
export async function convertReview({ spec }: Webhook, { request }: ConversionReview): Promise<ConversionResponse> {
  const { uid, desiredAPIVersion, objects } = request
  const to = versionOf(desiredAPIVersion)
  const convertedObjects: KubeObject[] = []
  for (const object of objects) {
    const from = versionOf(object.apiVersion ?? "")
    if (from === to) convertedObjects.push(object)
    else
      convertedObjects.push(
        inVersion(object, await spec.convert!(structuredClone(object) as ConvertedObject, { from, to }), desiredAPIVersion),
      )
  }
  return { uid, convertedObjects, result: { status: "Success" } }
}

/** The metadata is that of the original, but for labels and annotations: API servers refuse any other change. */
function inVersion({ kind, metadata }: KubeObject, converted: ConvertedObject, apiVersion: string): KubeObject {
  const { labels: _labels, annotations: _annotations, ...own } = metadata
  const { labels, annotations } = converted.metadata ?? {}
  return {
    ...converted,
    apiVersion,
    kind,
    metadata: { ...own, ...(labels && { labels }), ...(annotations && { annotations }) },
  } as KubeObject
}

function versionOf(apiVersion: string): string {
  return apiVersion.slice(apiVersion.lastIndexOf("/") + 1)
}
