// Written by `npm run generate` (tools/generate/schemas.ts).
import { schema as core_v1 } from "./core/v1.schema.ts"
import { schema as meta_v1 } from "./meta/v1.schema.ts"
import { schema as admissionregistration_v1 } from "./admissionregistration/v1.schema.ts"
import { schema as apiextensions_v1 } from "./apiextensions/v1.schema.ts"
import { schema as apiregistration_v1 } from "./apiregistration/v1.schema.ts"
import { schema as apps_v1 } from "./apps/v1.schema.ts"
import { schema as authentication_v1 } from "./authentication/v1.schema.ts"
import { schema as authorization_v1 } from "./authorization/v1.schema.ts"
import { schema as autoscaling_v1 } from "./autoscaling/v1.schema.ts"
import { schema as autoscaling_v2 } from "./autoscaling/v2.schema.ts"
import { schema as batch_v1 } from "./batch/v1.schema.ts"
import { schema as certificates_v1 } from "./certificates/v1.schema.ts"
import { schema as certificates_v1beta1 } from "./certificates/v1beta1.schema.ts"
import { schema as coordination_v1 } from "./coordination/v1.schema.ts"
import { schema as discovery_v1 } from "./discovery/v1.schema.ts"
import { schema as events_v1 } from "./events/v1.schema.ts"
import { schema as flowcontrol_v1 } from "./flowcontrol/v1.schema.ts"
import { schema as apiserverinternal_v1alpha1 } from "./apiserverinternal/v1alpha1.schema.ts"
import { schema as metrics_v1beta1 } from "./metrics/v1beta1.schema.ts"
import { schema as networking_v1 } from "./networking/v1.schema.ts"
import { schema as node_v1 } from "./node/v1.schema.ts"
import { schema as policy_v1 } from "./policy/v1.schema.ts"
import { schema as rbac_v1 } from "./rbac/v1.schema.ts"
import { schema as resource_v1 } from "./resource/v1.schema.ts"
import { schema as resource_v1alpha3 } from "./resource/v1alpha3.schema.ts"
import { schema as scheduling_v1 } from "./scheduling/v1.schema.ts"
import { schema as scheduling_v1alpha2 } from "./scheduling/v1alpha2.schema.ts"
import { schema as storage_v1 } from "./storage/v1.schema.ts"
import { schema as storagemigration_v1beta1 } from "./storagemigration/v1beta1.schema.ts"

/** Path and text of every package. */
export const schemaTexts: readonly (readonly [path: string, text: string])[] = [
  ["core/v1", core_v1],
  ["meta/v1", meta_v1],
  ["admissionregistration/v1", admissionregistration_v1],
  ["apiextensions/v1", apiextensions_v1],
  ["apiregistration/v1", apiregistration_v1],
  ["apps/v1", apps_v1],
  ["authentication/v1", authentication_v1],
  ["authorization/v1", authorization_v1],
  ["autoscaling/v1", autoscaling_v1],
  ["autoscaling/v2", autoscaling_v2],
  ["batch/v1", batch_v1],
  ["certificates/v1", certificates_v1],
  ["certificates/v1beta1", certificates_v1beta1],
  ["coordination/v1", coordination_v1],
  ["discovery/v1", discovery_v1],
  ["events/v1", events_v1],
  ["flowcontrol/v1", flowcontrol_v1],
  ["apiserverinternal/v1alpha1", apiserverinternal_v1alpha1],
  ["metrics/v1beta1", metrics_v1beta1],
  ["networking/v1", networking_v1],
  ["node/v1", node_v1],
  ["policy/v1", policy_v1],
  ["rbac/v1", rbac_v1],
  ["resource/v1", resource_v1],
  ["resource/v1alpha3", resource_v1alpha3],
  ["scheduling/v1", scheduling_v1],
  ["scheduling/v1alpha2", scheduling_v1alpha2],
  ["storage/v1", storage_v1],
  ["storagemigration/v1beta1", storagemigration_v1beta1],
]
