import { formatTime, isNotFound, notFound } from "@pilothouse/api"
import { namespaces } from "@pilothouse/api/core/v1"
import { annotatedValue } from "./custom-metrics.ts"
import type { MetricsQuestion } from "./question.ts"

const group = "external.metrics.k8s.io"

/**
 * external.metrics.k8s.io: what something outside the cluster measures. Here the Namespace says it, in its annotation
 * `external.metrics.pilothouse.dev/<name>`; a curve counts from its creation. Labels are not looked at: a name has one value.
 */
export async function externalMetrics({ client, now, parts }: MetricsQuestion): Promise<object> {
  const [, namespace = "", metricName = ""] = parts
  const value = await client.get(namespaces, namespace).then(
    (object) => annotatedValue(object, `external.metrics.pilothouse.dev/${metricName}`, now),
    (error: unknown) => {
      if (isNotFound(error)) throw notFound({ group, plural: metricName }, "")
      throw error
    },
  )
  const items = value === undefined ? [] : [{ metricName, metricLabels: null, timestamp: formatTime(now), value }]
  return { kind: "ExternalMetricValueList", apiVersion: `${group}/v1beta1`, metadata: {}, items }
}
