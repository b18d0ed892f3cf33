/** Whether this build has a world for the demo; a bundle has none, and says so. */
export const isDemoIncluded: boolean = true;
