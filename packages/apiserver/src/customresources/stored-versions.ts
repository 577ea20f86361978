import { apiVersionOf, deepFreeze, type KubeObject, resourceNameOf, StatusError } from "@pilothouse/api"
import { copyManagedFields } from "../managedfields/object-managed-fields.ts"
import type { ResourceConversion, StoredAs } from "../resources/resource.ts"
import { ObjectTooLarge } from "../storage/object-size.ts"
import type { Converter } from "./converter.ts"
import type { CustomResourceSchema, JsonObject } from "./schema/custom-resource-schema.ts"
import type { CustomResourceVersion } from "./served-version.ts"

interface Parts {
  schemaOf(version: CustomResourceVersion["version"]): CustomResourceSchema
  readonly converter: Converter | undefined
}

/** How the objects of a definition are stored, and shown in one of its versions. */
export interface StoredVersions {
  readonly stored: StoredAs
  readonly conversion: ResourceConversion | undefined
}

/**
 * Objects are stored in the storage version and shown in any: by strategy None a conversion is another apiVersion, and what the schema of the target
 * makes of the rest. Defaults that came with a later schema are filled in on reading.
 */
export function storedVersions(served: CustomResourceVersion, { schemaOf, converter }: Parts): StoredVersions {
  const { definition, version, descriptor } = served
  const schema = schemaOf(version)
  const storage = definition.spec.versions.find(({ storage }) => storage)!
  const apiVersion = apiVersionOf(descriptor)
  const storedVersion = apiVersionOf({ group: descriptor.group, version: storage.name })
  const shown = new WeakMap<KubeObject, KubeObject>()
  const toStorage = (object: KubeObject) => converted(object, storedVersion, schemaOf(storage))
  const toThis = (object: KubeObject) => deepFreeze(converted(object, apiVersion, schema))
  const conversion = converter && webhookConversion(served, { converter, shown, schemaOf, storedVersion, toStorage, toThis })
  const stored: StoredAs = {
    prefix: `/registry/${resourceNameOf(descriptor)}/`,
    version: storedVersion,
    encode: (object) => (object.apiVersion === storedVersion ? object : atHand(conversion, () => toStorage(object))),
    decode(stored) {
      const known = shown.get(stored)
      if (known !== undefined) return known
      const made = stored.apiVersion === apiVersion ? withDefaults(stored, schema) : atHand(conversion, () => toThis(stored))
      shown.set(stored, made)
      return made
    },
  }
  return { stored, conversion }
}

/** A fault of this server: what a webhook converts has to be waited for. */
function atHand(conversion: ResourceConversion | undefined, work: () => KubeObject): KubeObject {
  if (conversion === undefined) return work()
  const message = "expected an object in the version of the request, found one that a webhook has to convert"
  throw new StatusError({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, code: 500 })
}

interface WebhookParts extends Pick<Parts, "schemaOf"> {
  readonly converter: Converter
  readonly storedVersion: string
  /** What the resource has decoded, by the stored object. */
  readonly shown: WeakMap<KubeObject, KubeObject>
  /** What the schema of the storage version, or of this one, makes of an answer of the webhook. */
  toStorage(object: KubeObject): KubeObject
  toThis(object: KubeObject): KubeObject
}

function webhookConversion({ definition, version, descriptor }: CustomResourceVersion, parts: WebhookParts): ResourceConversion {
  const { converter, storedVersion, shown, schemaOf, toStorage, toThis } = parts
  const apiVersion = apiVersionOf(descriptor)
  const decoding = new WeakMap<KubeObject, Promise<KubeObject>>()
  /** A webhook sees a stored object with the defaults of its own version. */
  const filled = (stored: KubeObject) => {
    const own = definition.spec.versions.find(({ name }) => stored.apiVersion === `${descriptor.group}/${name}`) ?? version
    return withDefaults(stored, schemaOf(own))
  }
  const decode: ResourceConversion["decode"] = async (stored) => {
    const others = stored.filter((one) => one.apiVersion !== apiVersion)
    const made = others.length === 0 ? [] : await converter.convert(others.map(filled), apiVersion)
    const byStored = new Map(others.map((one, index) => [one, made[index]!]))
    return stored.map((one) => {
      const answer = byStored.get(one)
      return answer === undefined ? filled(one) : toThis(answer)
    })
  }
  return {
    decode,
    async decodeOnce(stored) {
      const missing = stored.filter((one) => !shown.has(one) && !decoding.has(one))
      const all = missing.length === 0 ? undefined : decode(missing)
      for (const [index, one] of missing.entries()) decoding.set(one, remember(one, all!, index))
      return Promise.all(stored.map((one) => shown.get(one) ?? decoding.get(one)!))
    },
    async encode(object) {
      if (object.apiVersion === storedVersion) return object
      return toStorage((await converter.convert([object], storedVersion))[0]!)
    },
    async from(object) {
      return object.apiVersion === apiVersion ? object : toThis((await converter.convert([object], apiVersion))[0]!)
    },
  }

  async function remember(stored: KubeObject, all: Promise<readonly KubeObject[]>, index: number): Promise<KubeObject> {
    try {
      const made = (await all)[index]!
      shown.set(stored, made)
      return made
    } finally {
      decoding.delete(stored)
    }
  }
}

/** A stored object that new defaults would make too large is shown without them: it has to be readable, and deletable. */
function filledStored(object: JsonObject, schema: CustomResourceSchema): JsonObject {
  try {
    return schema.fillDefaults(object)
  } catch (error) {
    if (error instanceof ObjectTooLarge) return object
    throw error
  }
}

function withDefaults(stored: KubeObject, schema: CustomResourceSchema): KubeObject {
  const filled = filledStored(stored as never as JsonObject, schema) as never as KubeObject
  return filled === stored ? stored : deepFreeze(copyManagedFields(stored, { ...filled }))
}

function converted(object: KubeObject, apiVersion: string, schema: CustomResourceSchema): KubeObject {
  const { kind, metadata, apiVersion: _apiVersion, ...rest } = object
  const content = filledStored(schema.prune(rest), schema)
  return copyManagedFields(object, { kind, apiVersion, metadata, ...content })
}
