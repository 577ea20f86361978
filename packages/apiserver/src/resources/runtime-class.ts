import { checkDns1123Label } from "@pilothouse/api"
import type { RuntimeClass } from "@pilothouse/api/node/v1"
import { immutable, named } from "../validation/field-rules.ts"
import type { ResourceStrategy } from "./resource.ts"

export const runtimeClass: ResourceStrategy<RuntimeClass> = {
  unconditionalUpdate: false,
  createOnUpdate: true,
  validate: ({ handler }) => named(handler, checkDns1123Label, "handler"),
  validateUpdate: (object, old) => immutable(object.handler, old.handler, "handler"),
}
