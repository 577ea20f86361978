import type { Attributes, Tracer as OpenTelemetryTracer, Span, SpanStatus } from "@opentelemetry/api"
import { expect, test } from "vitest"
import { inSpan, type Tracer } from "./spans.ts"

interface Told {
  name: string
  attributes: Attributes
  status?: SpanStatus
  exceptions: unknown[]
  ended: boolean
}

function recordingTracer(): { tracer: Tracer; spans: Told[] } {
  const spans: Told[] = []
  const tracer = {
    startActiveSpan(name: string, { attributes }: { attributes: Attributes }, work: (span: Span) => unknown) {
      const told: Told = { name, attributes: { ...attributes }, exceptions: [], ended: false }
      spans.push(told)
      const span = {
        setAttributes: (more: Attributes) => Object.assign(told.attributes, more),
        setStatus: (status: SpanStatus) => (told.status = status),
        recordException: (error: unknown) => told.exceptions.push(error),
        end: () => (told.ended = true),
      }
      return work(span as unknown as Span)
    },
  }
  // Whatever is passed as a tracer is one of OpenTelemetry's: its type has to fit.
  const real = tracer as unknown as OpenTelemetryTracer
  return { tracer: real, spans }
}

test("the span has what is known before and after the work", async () => {
  const { tracer, spans } = recordingTracer()
  const result = await inSpan(
    tracer,
    "reconcile",
    { key: "a" },
    async () => 3,
    (count) => ({ attributes: { count } }),
  )
  expect(result).toBe(3)
  expect(spans).toEqual([{ name: "reconcile", attributes: { key: "a", count: 3 }, exceptions: [], ended: true }])
})

test("an error of the result is recorded on the span", async () => {
  const { tracer, spans } = recordingTracer()
  const error = new Error("no", { cause: new Error("really") })
  await inSpan(
    tracer,
    "reconcile",
    {},
    async () => {},
    () => ({ error }),
  )
  expect(spans).toMatchObject([{ status: { code: 2, message: "no: really" }, exceptions: [error], ended: true }])
})

test("work that throws ends its span", async () => {
  const { tracer, spans } = recordingTracer()
  await expect(
    inSpan(
      tracer,
      "reconcile",
      {},
      () => Promise.reject(new Error("no")),
      () => ({}),
    ),
  ).rejects.toThrow("no")
  expect(spans).toMatchObject([{ status: { code: 2 }, ended: true }])
})

test("without a tracer the work is just done", async () => {
  expect(
    await inSpan(
      undefined,
      "reconcile",
      {},
      async () => 3,
      () => ({}),
    ),
  ).toBe(3)
})
