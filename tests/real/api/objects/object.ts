export type JsonObject = Readonly<Record<string, unknown>>

export interface ObjectMetadata extends JsonObject {
  readonly name: string
}

/** An object as a user would send it. The namespace comes from where it is sent. */
export interface SampleObject extends JsonObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: ObjectMetadata
}

export function sample(apiVersion: string, kind: string, name: string, rest: JsonObject = {}): SampleObject {
  return { apiVersion, kind, metadata: { name }, ...rest }
}

export function isRecord(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
