import type { Attributes, Span, SpanStatusCode, Tracer } from "@opentelemetry/api"
import { messageOf } from "@pilothouse/seams"

/** What is told of the work once it is over. */
export interface SpanEnd {
  readonly attributes?: Attributes
  readonly error?: unknown
}

/**
 * Runs work inside a span, as the active one, so that what the work calls shows under it.
 * The tracer is passed in and only its type is imported: loading @opentelemetry/api takes 55 ms, which only those pay who trace.
 */
export async function inSpan<T>(
  tracer: Tracer | undefined,
  name: string,
  attributes: Attributes,
  work: () => Promise<T>,
  end: (result: T) => SpanEnd,
): Promise<T> {
  if (tracer === undefined) return work()
  return tracer.startActiveSpan(name, { attributes }, async (span) => {
    try {
      const result = await work()
      finish(span, end(result))
      return result
    } catch (error) {
      finish(span, { error })
      throw error
    } finally {
      span.end()
    }
  })
}

const failed = 2 as SpanStatusCode.ERROR

function finish(span: Span, { attributes, error }: SpanEnd): void {
  if (attributes !== undefined) span.setAttributes(attributes)
  if (error === undefined) return
  span.setStatus({ code: failed, message: messageOf(error) })
  span.recordException(error instanceof Error ? error : String(error))
}
