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
} from "./amount.ts"
export {
  type ConditionLike,
  findCondition,
  isConditionFalse,
  isConditionTrue,
  type NewCondition,
  removeCondition,
  setCondition,
} from "./conditions.ts"
export {
  type CronField,
  type CronFields,
  type CronSchedule,
  maxScheduleLength,
  parseCronSchedule,
  ScheduleFault,
} from "./cron-schedule.ts"
export { deepEqual } from "./deep-equal.ts"
export { apiVersionOf, type Descriptor, type ObjectOf, type PathParts, pathOf, resourceNameOf, type Subresource } from "./descriptor.ts"
export { type FieldError, fieldError, formatFieldError, formatFieldErrors } from "./field-error.ts"
export {
  type FieldRequirement,
  type FieldSelector,
  formatFieldSelector,
  matchesFields,
  parseFieldSelector,
  requiredFieldValue,
} from "./field-selector.ts"
export { hasFinalizer, withFinalizer, withoutFinalizer } from "./finalizers.ts"
export { deepFreeze, normalise } from "./freeze.ts"
export { generatedName } from "./generated-name.ts"
export { escapedAsGo } from "./go-json.ts"
export { isPercent, parseIntOrString, scaledIntOrPercent } from "./int-or-string.ts"
export { addInt64, compareInt64, isInt64, parseInt64, secondsInMilliseconds } from "./int64.ts"
export { checkConfigMapKey, checkEnvironmentName, checkHttpHeaderName, checkIdentifier, checkPercent } from "./key-names.ts"
export { checkLabelKey, checkLabelValue } from "./label-names.ts"
export {
  type LabelOperator,
  type LabelRequirement,
  labelRequirement,
  labelRequirementErrors,
  matchesRequirement,
} from "./label-requirement.ts"
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
} from "./label-selector.ts"
export { labelErrors, labelSelectorErrors } from "./label-validation.ts"
export type { LabelSelector, LabelSelectorRequirement, ListMeta, ManagedFieldsEntry, ObjectMeta, OwnerReference } from "./meta.ts"
export {
  checkDns1035Label,
  checkDns1123Label,
  checkDns1123Subdomain,
  checkPathSegmentName,
  checkWildcardSubdomain,
  type NameCheck,
  type NameOptions,
} from "./names.ts"
export {
  type LabelledNode,
  matchesNodeSelector,
  matchesNodeTerm,
  matchesNodeTerms,
  type NodeTerm,
  nodeTermOf,
  nodeTermsOf,
  preferredNodeScore,
} from "./node-affinity.ts"
export type { KubeObject } from "./object.ts"
export { joinKey, keyOf, type Ref, refOf, splitKey } from "./object-key.ts"
export { ownValue } from "./own-value.ts"
export { controllerOf, controllerRef, hasOwner, isControlledBy, ownerRef } from "./owner-references.ts"
export { isEvictionUndisturbing, needsBudget } from "./pod-eviction.ts"
export { requiredNodeAffinity } from "./pod-node-affinity.ts"
export { isPodActive, isPodAvailable, isPodReady, isPodTerminal, isPodTerminating, podAvailableAfter } from "./pod-phase.ts"
export { podQosClass, type QosClass } from "./pod-qos.ts"
export { isSidecar, type PodResourcesOptions, podLimits, podRequests } from "./pod-resources.ts"
export { podSecrets } from "./pod-secrets.ts"
export { checkPortName, checkPortNumber } from "./port-names.ts"
export { canonicalQuantity } from "./quantity.ts"
export { formatQuantity } from "./quantity-format.ts"
export { parseQuantity } from "./quantity-parse.ts"
export { extendedClaimPod } from "./quota/extended-claim.ts"
export { type DeviceClassNames, deviceClassNames, noDeviceClasses } from "./quota/extended-devices.ts"
export { isExtendedQuotaName, isExtendedResource } from "./quota/extended-resource.ts"
export { hasDeadline, isInQuotaScopes } from "./quota/quota-scopes.ts"
export { type CountedKind, type DeviceFacts, isDeviceClaim, noDeviceFacts, quotaNamesFor, quotaUsage } from "./quota/quota-usage.ts"
export { quoted } from "./quoted.ts"
export { type ResourceOptions, resource } from "./resource.ts"
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
} from "./resource-list.ts"
export { compareResourceVersions, isResourceVersion } from "./resource-version.ts"
export type { Duration, Int64, IntOrString, MicroTime, Quantity, Time } from "./scalars.ts"
export type { Field, PatchStrategy, Schema, SchemaType } from "./schema.ts"
export {
  isStatus,
  type Status,
  type StatusCause,
  type StatusDetails,
  StatusError,
  type StatusReason,
  statusOf,
  successStatus,
} from "./status.ts"
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
} from "./status-failures.ts"
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
} from "./status-predicates.ts"
export {
  isSameTaint,
  minimumTolerationSeconds,
  type TolerationOptions,
  tolerates,
  tolerationsFor,
  type UntoleratedOptions,
  untoleratedTaint,
} from "./taints.ts"
export { formatMicroTime, formatTime, parseMicroTime, parseTime } from "./time.ts"
export { type UnexpectedResponse, unexpectedResponse } from "./unexpected-response.ts"
export { utf8Length } from "./utf8-length.ts"
export {
  bestVolumeFor,
  fitsClaim,
  hasAccessModes,
  hasSameVolumeMode,
  isVolumeFor,
  storageClassOf,
  volumeMismatch,
} from "./volume-match.ts"
