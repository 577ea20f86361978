// Written by `npm run generate` (tools/generate/protobuf.ts); the notation is explained in src/protobuf/table.ts.
import { table as admissionV1 } from "./admission/v1.protobuf.ts"
import { table as admissionregistrationV1 } from "./admissionregistration/v1.protobuf.ts"
import { table as apidiscoveryV2 } from "./apidiscovery/v2.protobuf.ts"
import { table as apiextensionsV1 } from "./apiextensions/v1.protobuf.ts"
import { table as apiregistrationV1 } from "./apiregistration/v1.protobuf.ts"
import { table as appsV1 } from "./apps/v1.protobuf.ts"
import { table as authenticationV1 } from "./authentication/v1.protobuf.ts"
import { table as authorizationV1 } from "./authorization/v1.protobuf.ts"
import { table as autoscalingV1 } from "./autoscaling/v1.protobuf.ts"
import { table as autoscalingV2 } from "./autoscaling/v2.protobuf.ts"
import { table as batchV1 } from "./batch/v1.protobuf.ts"
import { table as certificatesV1 } from "./certificates/v1.protobuf.ts"
import { table as coordinationV1 } from "./coordination/v1.protobuf.ts"
import { table as coreV1 } from "./core/v1.protobuf.ts"
import { table as discoveryV1 } from "./discovery/v1.protobuf.ts"
import { table as eventsV1 } from "./events/v1.protobuf.ts"
import { table as flowcontrolV1 } from "./flowcontrol/v1.protobuf.ts"
import { table as metaV1 } from "./meta/v1.protobuf.ts"
import { table as metricsV1beta1 } from "./metrics/v1beta1.protobuf.ts"
import { table as networkingV1 } from "./networking/v1.protobuf.ts"
import { table as nodeV1 } from "./node/v1.protobuf.ts"
import { table as policyV1 } from "./policy/v1.protobuf.ts"
import { table as rbacV1 } from "./rbac/v1.protobuf.ts"
import { table as resourceV1 } from "./resource/v1.protobuf.ts"
import { table as schedulingV1 } from "./scheduling/v1.protobuf.ts"
import { table as storageV1 } from "./storage/v1.protobuf.ts"

/** Path, apiVersion and table of every group-version. */
export const tables: readonly (readonly [path: string, apiVersion: string, table: string])[] = [
  ["admission/v1", "admission.k8s.io/v1", admissionV1],
  ["admissionregistration/v1", "admissionregistration.k8s.io/v1", admissionregistrationV1],
  ["apidiscovery/v2", "apidiscovery.k8s.io/v2", apidiscoveryV2],
  ["apiextensions/v1", "apiextensions.k8s.io/v1", apiextensionsV1],
  ["apiregistration/v1", "apiregistration.k8s.io/v1", apiregistrationV1],
  ["apps/v1", "apps/v1", appsV1],
  ["authentication/v1", "authentication.k8s.io/v1", authenticationV1],
  ["authorization/v1", "authorization.k8s.io/v1", authorizationV1],
  ["autoscaling/v1", "autoscaling/v1", autoscalingV1],
  ["autoscaling/v2", "autoscaling/v2", autoscalingV2],
  ["batch/v1", "batch/v1", batchV1],
  ["certificates/v1", "certificates.k8s.io/v1", certificatesV1],
  ["coordination/v1", "coordination.k8s.io/v1", coordinationV1],
  ["core/v1", "v1", coreV1],
  ["discovery/v1", "discovery.k8s.io/v1", discoveryV1],
  ["events/v1", "events.k8s.io/v1", eventsV1],
  ["flowcontrol/v1", "flowcontrol.apiserver.k8s.io/v1", flowcontrolV1],
  ["meta/v1", "meta.k8s.io/v1", metaV1],
  ["metrics/v1beta1", "metrics.k8s.io/v1beta1", metricsV1beta1],
  ["networking/v1", "networking.k8s.io/v1", networkingV1],
  ["node/v1", "node.k8s.io/v1", nodeV1],
  ["policy/v1", "policy/v1", policyV1],
  ["rbac/v1", "rbac.authorization.k8s.io/v1", rbacV1],
  ["resource/v1", "resource.k8s.io/v1", resourceV1],
  ["scheduling/v1", "scheduling.k8s.io/v1", schedulingV1],
  ["storage/v1", "storage.k8s.io/v1", storageV1],
]
