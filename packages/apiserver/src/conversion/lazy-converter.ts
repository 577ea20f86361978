import type { CustomResourceDefinition } from "@pilothouse/api/apiextensions/v1"
import { lazy } from "@pilothouse/seams"
import type { Converter } from "../customresources/converter.ts"
import type { ConversionServer } from "./webhook-converter.ts"

/**
 * Returns the converter of a definition with a conversion webhook. What calls the webhook is loaded with the first object that is converted: the server is
 * not there yet when stored definitions are read.
 */
export function lazyConverter(server: () => ConversionServer, definition: CustomResourceDefinition): Converter {
  const loaded = lazy(async () => {
    const { webhookConverter } = await server().clock.external(import("./webhook-converter.ts"), "loading conversion webhooks")
    return webhookConverter(server(), definition)
  })
  return { convert: async (objects, apiVersion) => (await loaded()).convert(objects, apiVersion) }
}
