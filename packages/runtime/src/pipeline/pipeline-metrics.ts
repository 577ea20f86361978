import type { Metrics } from "@pilothouse/seams"

/** What an event pipeline reports of each handler. */
export interface PipelineMetrics {
  failedObjects(handler: string, objects: number): void
  pendingObjects(handler: string, lanes: number): void
  gaveUp(handler: string, event: string): void
  dropped(handler: string): void
}

/** Registers the metric families of pipelines and returns their reporter. */
export function pipelineMetrics(metrics: Metrics): PipelineMetrics {
  const failed = metrics.gauge({
    name: "pipeline_failed_objects",
    help: "Objects whose event was given up until the next one",
  })
  const pending = metrics.gauge({ name: "pipeline_lanes", help: "Objects with waiting, active or failed events of a handler" })
  const givenUp = metrics.counter({ name: "pipeline_given_up_total", help: "Events that were given up until the next one" })
  const dropped = metrics.counter({
    name: "pipeline_dropped_deletions_total",
    help: "Failed deletions that were dropped because too many under one name have failed",
  })
  return {
    failedObjects: (handler, objects) => failed.set(objects, { handler }),
    pendingObjects: (handler, count) => pending.set(count, { handler }),
    gaveUp: (handler, event) => givenUp.add(1, { handler, event }),
    dropped: (handler) => dropped.add(1, { handler }),
  }
}
