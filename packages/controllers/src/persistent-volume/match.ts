// Shared with the scheduler, which takes volumes for claims that wait for their first consumer: so it stands in the algebra of the API.
export {
  bestVolumeFor as bestMatch,
  fitsClaim as fits,
  hasAccessModes,
  hasSameVolumeMode as hasSameMode,
  isVolumeFor as isFor,
  volumeMismatch as mismatch,
} from "@pilothouse/api"
