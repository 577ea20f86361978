import type { Metrics } from "@pilothouse/seams"

export interface PipelineMetrics {
  failedObjects(handler: string, objects: number): void
  pendingObjects(handler: string, lanes: number): void
  gaveUp(handler: string, event: string): void
  dropped(handler: string): void
}

export function pipelineMetrics(metrics: Metrics): PipelineMetrics {
  const failed = metrics.gauge({
    name: "pipeline_failed_objects",
    help: "Objects whose event could not be handled for too long and waits for the next one",
  })
  const pending = metrics.gauge({ name: "pipeline_lanes", help: "Objects of which a handler has something to be told, in hand, or failed" })
  const givenUp = metrics.counter({ name: "pipeline_given_up_total", help: "Events that were given up until the next one" })
  const dropped = metrics.counter({
    name: "pipeline_dropped_deletions_total",
    help: "Failed deletions that are tried no more because too many under one name have failed",
  })
  return {
    failedObjects: (handler, objects) => failed.set(objects, { handler }),
    pendingObjects: (handler, count) => pending.set(count, { handler }),
    gaveUp: (handler, event) => givenUp.add(1, { handler, event }),
    dropped: (handler) => dropped.add(1, { handler }),
  }
}
