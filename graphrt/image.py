"""`tf.image`: images resized, recoloured, cut, measured, read and written."""

from __future__ import annotations

from graphrt.ops.image import (
    central_crop,
    crop_to_bounding_box,
    extract_patches,
    flip_left_right,
    flip_up_down,
    image_gradients,
    pad_to_bounding_box,
    per_image_standardization,
    psnr,
    resize_with_crop_or_pad,
    rot90,
    sobel_edges,
    ssim,
    ssim_multiscale,
    total_variation,
    transpose,
)
from graphrt.ops.image_boxes import (
    combined_non_max_suppression,
    crop_and_resize,
    draw_bounding_boxes,
    extract_glimpse,
    non_max_suppression,
    non_max_suppression_overlaps,
    non_max_suppression_padded,
    non_max_suppression_with_scores,
)
from graphrt.ops.image_color import (
    adjust_brightness,
    adjust_contrast,
    adjust_gamma,
    adjust_hue,
    adjust_saturation,
    convert_image_dtype,
    grayscale_to_rgb,
    hsv_to_rgb,
    rgb_to_grayscale,
    rgb_to_hsv,
    rgb_to_yiq,
    rgb_to_yuv,
    yiq_to_rgb,
    yuv_to_rgb,
)
from graphrt.ops.image_crops import sample_distorted_bounding_box, stateless_sample_distorted_bounding_box
from graphrt.ops.image_files import (
    decode_bmp,
    decode_image,
    decode_png,
    encode_png,
    is_jpeg,
)
from graphrt.ops.image_jpeg import (
    adjust_jpeg_quality,
    decode_and_crop_jpeg,
    decode_gif,
    decode_jpeg,
    decode_webp,
    encode_jpeg,
    extract_jpeg_shape,
    random_jpeg_quality,
    stateless_random_jpeg_quality,
)
from graphrt.ops.image_random import (
    random_brightness,
    random_contrast,
    random_crop,
    random_flip_left_right,
    random_flip_up_down,
    random_hue,
    random_saturation,
    stateless_random_brightness,
    stateless_random_contrast,
    stateless_random_crop,
    stateless_random_flip_left_right,
    stateless_random_flip_up_down,
    stateless_random_hue,
    stateless_random_saturation,
)
from graphrt.ops.image_resize import (
    ResizeMethod,
    resize,
    resize_with_pad,
)

__all__ = [
    "ResizeMethod", "adjust_brightness", "adjust_contrast", "adjust_gamma", "adjust_hue", "adjust_jpeg_quality",
    "adjust_saturation", "central_crop", "combined_non_max_suppression", "convert_image_dtype", "crop_and_resize",
    "crop_to_bounding_box", "decode_and_crop_jpeg", "decode_bmp", "decode_gif", "decode_image", "decode_jpeg",
    "decode_png", "decode_webp", "draw_bounding_boxes", "encode_jpeg", "encode_png", "extract_glimpse",
    "extract_jpeg_shape", "extract_patches", "flip_left_right", "flip_up_down", "grayscale_to_rgb", "hsv_to_rgb",
    "image_gradients", "is_jpeg", "non_max_suppression", "non_max_suppression_overlaps", "non_max_suppression_padded",
    "non_max_suppression_with_scores", "pad_to_bounding_box", "per_image_standardization", "psnr",
    "random_brightness", "random_contrast", "random_crop", "random_flip_left_right", "random_flip_up_down",
    "random_hue", "random_jpeg_quality", "random_saturation", "resize", "resize_with_crop_or_pad", "resize_with_pad",
    "rgb_to_grayscale", "rgb_to_hsv", "rgb_to_yiq", "rgb_to_yuv", "rot90", "sample_distorted_bounding_box",
    "sobel_edges", "ssim", "ssim_multiscale", "stateless_random_brightness", "stateless_random_contrast",
    "stateless_random_crop", "stateless_random_flip_left_right", "stateless_random_flip_up_down",
    "stateless_random_hue", "stateless_random_jpeg_quality", "stateless_random_saturation",
    "stateless_sample_distorted_bounding_box", "total_variation", "transpose", "yiq_to_rgb", "yuv_to_rgb",
]  # fmt: skip
