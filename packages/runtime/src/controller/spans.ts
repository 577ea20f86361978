import { messageOf } from "@pilothouse/seams"

type Attributes = Record<string, string | number | boolean | string[]>

interface Span {
  setAttributes(attributes: Attributes): unknown
  setStatus(status: { readonly code: 2; readonly message?: string }): unknown
  recordException(exception: Error | string): unknown
  end(): void
}

/** The part of OpenTelemetry's Tracer that is used here: `trace.getTracer("mine")` of @opentelemetry/api fits, and nothing has to be installed to do without. */
export interface Tracer {
  startActiveSpan<T>(name: string, options: { readonly attributes?: Attributes }, work: (span: Span) => T): T
}

/** What the span records when the work has ended. */
export interface SpanEnd {
  readonly attributes?: Attributes
  readonly error?: unknown
}

/**
 * Runs work inside a span, as the active one, so that what the work calls shows under it.
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

/** SpanStatusCode.ERROR of OpenTelemetry. */
const failed = 2

function finish(span: Span, { attributes, error }: SpanEnd): void {
  if (attributes !== undefined) span.setAttributes(attributes)
  if (error === undefined) return
  span.setStatus({ code: failed, message: messageOf(error) })
  span.recordException(error instanceof Error ? error : String(error))
}
