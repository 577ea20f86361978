import type { KubeObject } from "@pilothouse/api"
import { type Body, type Frame, type Transport, valueBody } from "@pilothouse/seams"
import { withManagedFields } from "./object-managed-fields.ts"

/** Returns a transport in the same process whose answers have metadata.managedFields, as those of HTTP have. */
export function showManagedFields(transport: Transport): Transport {
  return async (request) => {
    const response = await transport(request)
    const { body } = response
    if (body.type === "stream") return { ...response, body: { ...body, frames: shownFrames(body.frames) } }
    return { ...response, body: shownBody(body) }
  }
}

function shownBody<T extends Body>(body: T): T | Body {
  return body.type === "value" ? valueBody(shown(body.value)) : body
}

function shown(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value
  const { items } = value as { readonly items?: readonly KubeObject[] }
  return Array.isArray(items) ? { ...value, items: items.map(withManagedFields) } : withManagedFields(value)
}

async function* shownFrames(frames: AsyncIterable<Frame>): AsyncGenerator<Frame> {
  for await (const frame of frames) {
    if (frame.type !== "value") yield frame
    else {
      const event = frame.value as { readonly type: string; readonly object: unknown }
      yield valueBody({ ...event, object: withManagedFields(event.object) })
    }
  }
}
