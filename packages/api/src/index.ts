export { type FieldError, fieldError, formatFieldError, formatFieldErrors } from "./errors/field-error.ts"
export {
  isStatus,
  type Status,
  type StatusCause,
  type StatusDetails,
  StatusError,
  type StatusReason,
  statusOf,
  successStatus,
} from "./errors/status.ts"
export {
  type AlreadyExistsOptions,
  alreadyExists,
  applyConflict,
  badRequest,
  conflict,
  expired,
  type FailedKind,
  type FailedResource,
  forbidden,
  generateNameConflict,
  gone,
  internalError,
  invalid,
  methodNotAllowed,
  type NotAcceptableOptions,
  notAcceptable,
  notFound,
  requestEntityTooLarge,
  resourceVersionTooLarge,
  serverTimeout,
  serviceUnavailable,
  timeout,
  tooManyRequests,
  unauthorized,
  unsupportedMediaType,
} from "./errors/status-failures.ts"
export {
  hasCause,
  isAlreadyExists,
  isBadRequest,
  isConflict,
  isForbidden,
  isGone,
  isInternalError,
  isInvalid,
  isMethodNotAllowed,
  isNotAcceptable,
  isNotFound,
  isRequestEntityTooLarge,
  isServerTimeout,
  isServiceUnavailable,
  isTimeout,
  isTooManyRequests,
  isUnauthorized,
  isUnknownResource,
  isUnsupportedMediaType,
  reasonOf,
  statusErrorIn,
  suggestedDelaySeconds,
} from "./errors/status-predicates.ts"
export { type UnexpectedResponse, unexpectedResponse } from "./errors/unexpected-response.ts"
export type { KindMap } from "./generated/all.types.ts"
export {
  type FieldRequirement,
  type FieldSelector,
  formatFieldSelector,
  matchesFields,
  parseFieldSelector,
  requiredFieldValue,
} from "./labels/field-selector.ts"
export {
  type LabelOperator,
  type LabelRequirement,
  labelRequirement,
  labelRequirementErrors,
  matchesRequirement,
} from "./labels/label-requirement.ts"
export {
  equalityRequirement,
  everything,
  formatLabelSelector,
  fromRequirements,
  isEverything,
  labelSelectorOf,
  matchesLabels,
  nothing,
  parseLabelSelector,
  type Selector,
  selectorFromLabels,
  selectorOf,
} from "./labels/label-selector.ts"
export { labelErrors, labelSelectorErrors } from "./labels/label-validation.ts"
export { isSimulatedNode, simulatedNodeLabel } from "./labels/simulated-node.ts"
export {
  type ConditionLike,
  findCondition,
  isConditionFalse,
  isConditionTrue,
  type NewCondition,
  removeCondition,
  setCondition,
} from "./meta/conditions.ts"
export { deepEqual } from "./meta/deep-equal.ts"
export { hasFinalizer, withFinalizer, withoutFinalizer } from "./meta/finalizers.ts"
export { deepFreeze, normalise } from "./meta/freeze.ts"
export { generatedName } from "./meta/generated-name.ts"
export {
  checkConfigMapKey,
  checkEnvironmentName,
  checkHttpHeaderName,
  checkIdentifier,
  checkPercent,
  checkPortName,
  checkPortNumber,
} from "./meta/key-names.ts"
export { checkLabelKey, checkLabelValue } from "./meta/label-names.ts"
export type { LabelSelector, LabelSelectorRequirement, ListMeta, ManagedFieldsEntry, ObjectMeta, OwnerReference } from "./meta/meta.ts"
export {
  checkDns1035Label,
  checkDns1123Label,
  checkDns1123Subdomain,
  checkPathSegmentName,
  checkWildcardSubdomain,
  type NameCheck,
  type NameOptions,
} from "./meta/names.ts"
export type { KubeObject } from "./meta/object.ts"
export { joinKey, keyOf, type Ref, refOf, splitKey } from "./meta/object-key.ts"
export { compareResourceVersions, isResourceVersion } from "./meta/resource-version.ts"
export { controllerOf, controllerRef, hasOwner, isControlledBy, ownerRef } from "./owners/owner-references.ts"
export { isMirrorPod, mirrorPodAnnotation } from "./pods/mirror-pod.ts"
export {
  type LabelledNode,
  matchesNodeSelector,
  matchesNodeTerm,
  matchesNodeTerms,
  type NodeTerm,
  nodeTermOf,
  nodeTermsOf,
  preferredNodeScore,
  requiredNodeAffinity,
} from "./pods/node-affinity.ts"
export { isEvictionUndisturbing, needsBudget } from "./pods/pod-eviction.ts"
export { isPodActive, isPodAvailable, isPodReady, isPodTerminal, isPodTerminating, podAvailableAfter } from "./pods/pod-phase.ts"
export { podQosClass, type QosClass } from "./pods/pod-qos.ts"
export { isSidecar, type PodResourcesOptions, podLimits, podRequests } from "./pods/pod-resources.ts"
export { podConfigMaps, podSecrets } from "./pods/pod-secrets.ts"
export {
  isSameTaint,
  minimumTolerationSeconds,
  type TolerationOptions,
  tolerates,
  tolerationsFor,
  type UntoleratedOptions,
  untoleratedTaint,
} from "./pods/taints.ts"
export {
  bestVolumeFor,
  fitsClaim,
  hasAccessModes,
  hasSameVolumeMode,
  isVolumeFor,
  storageClassOf,
  volumeMismatch,
} from "./pods/volume-match.ts"
export {
  type Amount,
  type AmountOptions,
  addAmounts,
  amountMilliValue,
  amountOf,
  amountScaledValue,
  amountSign,
  amountValue,
  approximateAmount,
  compareAmounts,
  isZeroAmount,
  maxAmount,
  minAmount,
  multiplyAmount,
  negateAmount,
  type QuantityFormat,
  subtractAmounts,
  zeroAmount,
} from "./quantity/amount.ts"
export { isPercent, parseIntOrString, scaledIntOrPercent } from "./quantity/int-or-string.ts"
export { addInt64, compareInt64, isInt64, parseInt64, secondsInMilliseconds } from "./quantity/int64.ts"
export { canonicalQuantity, formatQuantity } from "./quantity/quantity-format.ts"
export { parseQuantity } from "./quantity/quantity-parse.ts"
export {
  addResources,
  equalResources,
  formatResources,
  lackingResources,
  maxResources,
  parseResources,
  type ResourceList,
  type Resources,
  subtractResources,
} from "./quantity/resource-list.ts"
export type { Duration, Int64, IntOrString, MicroTime, Quantity, Time } from "./quantity/scalars.ts"
export { type DeviceClassNames, deviceClassNames, extendedClaimPod, noDeviceClasses } from "./quota/extended-devices.ts"
export { isExtendedQuotaName, isExtendedResource } from "./quota/extended-resource.ts"
export { hasDeadline, isInQuotaScopes } from "./quota/quota-scopes.ts"
export { type CountedKind, type DeviceFacts, isDeviceClaim, noDeviceFacts, quotaNamesFor, quotaUsage } from "./quota/quota-usage.ts"
export {
  apiVersionOf,
  type Descriptor,
  type ObjectOf,
  type PathParts,
  pathOf,
  resourceNameOf,
  type Subresource,
} from "./schema/descriptor.ts"
export { type ResourceOptions, resource } from "./schema/resource.ts"
export type { Field, PatchStrategy, Schema, SchemaType } from "./schema/schema.ts"
export {
  type BootstrapToken,
  type BootstrapTokenUsage,
  bootstrapTokenExpiry,
  bootstrapTokenGroups,
  bootstrapTokenName,
  bootstrapTokenType,
  isBootstrapToken,
  parseBootstrapToken,
  usableBootstrapToken,
} from "./secrets/bootstrap-token.ts"
export { toBase64 } from "./text/base64.ts"
export { compareText } from "./text/compare-text.ts"
export {
  type CronField,
  type CronFields,
  type CronSchedule,
  maxScheduleLength,
  parseCronSchedule,
  ScheduleFault,
} from "./text/cron-schedule.ts"
export { goFloat } from "./text/go-float.ts"
export { escapedAsGo, goJson } from "./text/go-json.ts"
export { ownValue } from "./text/own-value.ts"
export { quoted } from "./text/quoted.ts"
export { canonicalMicroTime, canonicalTime, formatMicroTime, formatTime, parseMicroTime, parseTime } from "./text/time.ts"
export { utf8Length } from "./text/utf8-length.ts"
