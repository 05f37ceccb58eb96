// A picture of a person's choice, made small enough to stand in the settings.
const SIDE = 128;
const MAX_FILE_BYTES = 20_000_000;

/** A square picture as a data address; nothing when the file cannot be read as one. */
export async function smallPicture(file: Blob): Promise<string | undefined> {
  if (file.size > MAX_FILE_BYTES) return undefined;
  try {
    const bitmap = await createImageBitmap(file);
    const side = Math.min(bitmap.width, bitmap.height);
    const canvas = document.createElement('canvas');
    canvas.width = SIDE;
    canvas.height = SIDE;
    const paper = canvas.getContext('2d');
    if (!paper || side === 0) return undefined;
    paper.drawImage(bitmap, (bitmap.width - side) / 2, (bitmap.height - side) / 2, side, side, 0, 0, SIDE, SIDE);
    bitmap.close();
    return canvas.toDataURL('image/webp', 0.85);
  } catch {
    return undefined;
  }
}
